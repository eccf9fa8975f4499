import { label, longestLabel } from '@campaign-mirror/domain';
import { expect } from 'chai';

describe('a label, the name of a campaign or of a key', () => {
  const accepted: Record<string, string> = {
    'one character': 'x',
    'white space inside': 'Summer  sale 2026',
    'any script, combined characters and emoji': 'Été — 夏 e\u0301 \u{1f389}',
    'quotes and markup, which are text': `"it's" <b>&amp;</b> $1 % ?`,
    'as long as it may be': 'x'.repeat(longestLabel),
    'as long as it may be, in characters of two code units': '\u{1f389}'.repeat(longestLabel),
  };
  for (const [what, text] of Object.entries(accepted)) {
    it(`is ${what}, as it was written`, () => expect(label(text)).to.equal(text));
  }

  it('is without the white space around it, which is not counted', () => {
    expect(label('  Summer\t\n')).to.equal('Summer');
    expect(label(` ${'x'.repeat(longestLabel)} `)).to.equal('x'.repeat(longestLabel));
  });

  const refused: Record<string, string> = {
    nothing: '',
    'white space alone': ' \t\n\u00a0\u2003',
    'longer than it may be': 'x'.repeat(longestLabel + 1),
    'longer than it may be, in characters of two code units': '\u{1f389}'.repeat(longestLabel + 1),
    'over two lines': 'a\nb',
    'with a carriage return': 'a\rb',
    'with a tab inside': 'a\tb',
    'with NUL, which PostgreSQL cannot keep': 'a\u0000b',
    'with what steers a terminal': '\u001b[2Jx',
    'with a control of C1': 'a\u009bb',
    'with DEL': 'a\u007fb',
    'with a line separator': 'a\u2028b',
    'with a paragraph separator': 'a\u2029b',
  };
  for (const [what, text] of Object.entries(refused)) {
    it(`is not ${what}`, () => expect(label(text)).to.equal(undefined));
  }
});
