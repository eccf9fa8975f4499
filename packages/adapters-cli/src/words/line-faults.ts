import type { BadLine, FieldFault, LineFault } from '@campaign-mirror/domain';
import type { Output } from '../terminal/output.ts';
import { addressFaults, defaultOf } from './refusals.ts';

/** Reports a bad line: as a JSON object, or as a line on standard error. */
export function tellOfBadLine(
  output: Output,
  json: boolean | undefined,
  { line, fault }: BadLine,
): Promise<void> {
  const [column, reason] = faultInWords(fault);
  if (json) return output.object({ line, column, fault: fault.kind, reason });
  return output.tell(`line ${line}: ${column === null ? '' : `${column}: `}${reason}`);
}

/** The column, if the error is in one, and the cause. */
function faultInWords(fault: LineFault): [column: string | null, reason: string] {
  switch (fault.kind) {
    case 'unread':
      return [null, fault.because];
    case 'bad-field':
      return [fault.field, fieldFaults[fault.because]];
    case 'campaign-taken':
      return ['id', taken(`campaign ${fault.id}`, fault.line)];
    case 'mirror-taken':
      return ['mirror_id', taken(`mirror ${fault.id}`, fault.line)];
    case 'second-default':
      return ['is_default', `${defaultOf(fault)}${fault.line === null ? '' : ` (line ${fault.line})`}`];
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
