import { accessKeyId, auditId, campaignId, historyId, mirrorId, ownerId } from '@campaign-mirror/domain';
import { expect } from 'chai';

describe('contract: the path — a decimal integer from 1 to 2^53-1', () => {
  for (const [name, read] of Object.entries({
    campaignId,
    ownerId,
    mirrorId,
    accessKeyId,
    historyId,
    auditId,
  })) {
    it(`${name} accepts the least and the greatest`, () => {
      expect(read('1')).to.equal(1);
      expect(read('42')).to.equal(42);
      expect(read('9007199254740991')).to.equal(Number.MAX_SAFE_INTEGER);
    });

    it(`${name} refuses everything else`, () => {
      const greater = ['9007199254740992', '9007199254740993', '9999999999999999', '99999999999999999999'];
      const signed = ['0', '-1', '+1', '01', '00', '1.0', '1e3', '1_000', '0x1', '1n'];
      const strange = ['', ' ', '1 ', ' 1', '1\n', '\n1', '%31', 'NaN', 'Infinity', 'null', 'abc', '1a'];
      const otherDigits = ['\u0661', '\uff11', '\u00b2', '\u0967', '1\u200b'];
      for (const text of [...greater, ...signed, ...strange, ...otherDigits]) {
        expect(read(text), JSON.stringify(text)).to.equal(undefined);
      }
    });
  }
});
