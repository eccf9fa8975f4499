import type { FieldFault, LineFault } from '@campaign-mirror/domain';
import { addressFaults, campaignNamed, hasDefault } from './refusals.ts';

/** The column, if the error is in one, and the cause. */
export function faultInWords(fault: LineFault): [column: string | null, reason: string] {
  switch (fault.kind) {
    case 'unread':
      return [null, fault.because];
    case 'bad-field':
      return [fault.field, fieldFaults[fault.because]];
    case 'campaign-taken':
      return ['id', taken(`campaign ${fault.id}`, fault.line)];
    case 'mirror-taken':
      return ['mirror_id', taken(`mirror ${fault.id}`, fault.line)];
    case 'duplicate': {
      const there = `${campaignNamed(fault.id, fault.name)} of the owner ${fault.ownerId}`;
      return fault.name === null
        ? ['target_url', `there is a ${there} without a name, and with this address, already`]
        : ['name', `there is a ${there} already`];
    }
    case 'second-default':
      return ['is_default', `${hasDefault(fault)}${fault.line === null ? '' : ` (line ${fault.line})`}`];
  }
}

function taken(what: string, line: number | null): string {
  return line === null ? `there is a ${what} already` : `${what} is in line ${line} already`;
}

const fieldFaults: Readonly<Record<FieldFault, string>> = {
  missing: 'it must not be empty',
  'not-an-identifier': 'it must be a whole number from 1 to 9007199254740991',
  'not-a-name': 'it must be a name on one line, of 1 to 200 characters',
  'not-a-flag': 'it must be true or false',
  'not-a-count': 'it must be a whole number from 0 to 9007199254740991',
  'not-a-time': 'it must be a time such as 2026-11-20T15:36:00.123456Z',
  contradiction: 'it must be there when updated_externally is true, and only then',
  ...addressFaults,
};
