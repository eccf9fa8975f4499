import type { BadLine, FieldFault, LineFault } from '@campaign-mirror/domain';
import type { Output } from '../terminal/output.ts';
import { addressFaults, campaignNamed } from './refusals.ts';

/** The text for an error in a line: the column, if it is in one, and the cause. */
function faultInWords(fault: LineFault): { column: string | null; reason: string } {
  switch (fault.kind) {
    case 'unread':
      return { column: null, reason: fault.because };
    case 'bad-field':
      return { column: fault.field, reason: fieldFaults[fault.because] };
    case 'campaign-taken':
      return { column: 'id', reason: taken(`campaign ${fault.id}`, fault.line) };
    case 'mirror-taken':
      return { column: 'mirror_id', reason: taken(`mirror ${fault.id}`, fault.line) };
    case 'second-default': {
      const { ownerId, id, name, line } = fault;
      const named = campaignNamed(id, name);
      const where = line === null ? '' : ` (line ${line})`;
      return {
        column: 'is_default',
        reason: `the owner ${ownerId} has a default campaign already: ${named}${where}`,
      };
    }
  }
}

/** Reports a bad line: as a JSON object, or as a line on standard error. */
export function tellOfBadLine(
  output: Output,
  json: boolean | undefined,
  { line, fault }: BadLine,
): Promise<void> {
  const { column, reason } = faultInWords(fault);
  if (json) return output.object({ line, column, fault: fault.kind, reason });
  return output.tellInTurn(`line ${line}: ${column === null ? '' : `${column}: `}${reason}`);
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
