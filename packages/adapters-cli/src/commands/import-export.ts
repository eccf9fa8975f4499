import * as domain from '@campaign-mirror/domain';
import type { ImportedCampaign, ImportFault, ImportLine } from '@campaign-mirror/domain/operator';
import { type CampaignColumn, campaignColumns } from '@campaign-mirror/domain/operator';
import { leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, counted, escaped, orStopped } from '../terminal/errors.ts';
import { notANumber, readCsv, sourceName, valueIs, whole, writeNewFile } from '../terminal/files.ts';
import { addressFaults } from './messages.ts';
import type { OperatorAccess } from './operator-access.ts';

export function importCommand(call: Call, operator: OperatorAccess) {
  const description = 'import campaigns and their mirrors from CSV: all of them, or none';
  return leaf('import', description, ['import campaigns.csv', 'import - --dry-run'])
    .argument('<file>', 'CSV as `export` writes it; - for standard input')
    .option('--dry-run', 'check every line, and change nothing')
    .option('--allow-duplicates', 'import a line without an id even if a campaign has its owner and name')
    .option('--ignore-columns', 'ignore unknown columns')
    .action(async (path, { dryRun = false, allowDuplicates = false, ignoreColumns = false }) => {
      const importing = operator.withPorts(
        ({ imports }, { deniedHosts }) => {
          const lines = importLines(call, path, ignoreColumns, deniedHosts);
          return imports.importAll(sourceName(path), lines, { dryRun, allowDuplicates });
        },
        { pace: 'unhurried' },
      );
      const { campaigns, mirrors, invalidLines, faults } = await importing.catch(
        stopped('Stopped. Nothing was imported.'),
      );
      for (const { line, column, fault, reason } of faults) {
        if (call.output.json) await call.output.object({ line, column, fault, reason });
        else await call.output.notice(`line ${line}: ${column === null ? '' : `${column}: `}${reason}`);
      }
      if (invalidLines > 0) {
        const lines = counted(invalidLines, 'line is', 'lines are');
        const shown = faults.length < 1_000 ? '' : ' (the first 1,000 faults are above)';
        const isTaken = faults.some(({ fault }) => fault === 'campaign-taken');
        const hint = isTaken ? '; `./campaign-mirror mirror set --file` changes campaigns that exist' : '';
        const remedy = `fix the file, and import it again${hint}`;
        throw new ClearError(`nothing was imported, since ${lines} invalid${shown}: ${remedy}`);
      }
      const what = `${counted(campaigns, 'campaign')}, ${counted(mirrors, 'mirror')}.`;
      if (!dryRun) return call.output.answer({ campaigns, mirrors }, `Imported: ${what}`);
      const object = { campaigns, mirrors, dry_run: true };
      await call.output.answer(object, `Every line is valid; this would be imported: ${what}`);
    });
}

export function exportCommand(call: Call, operator: OperatorAccess) {
  const description = 'write a consistent snapshot of all campaigns and their mirrors as CSV';
  return leaf('export', description, ['export campaigns.csv'])
    .argument('[file]', 'file to write; standard output by default or with -')
    .option('--force', 'overwrite an existing file')
    .action(async (path = '-', { force = false }) => {
      const { output } = call;
      const decoder = new TextDecoder();
      const print = async (chunk: Uint8Array) => {
        const text = decoder.decode(chunk, { stream: true });
        await output.write(output.json ? escaped(text) : text);
        return !output.isReaderGone;
      };
      const end = path === '-' ? 'the output is incomplete' : 'nothing was written';
      const exporting = operator.withPorts(
        ({ exports }) =>
          path === '-'
            ? exports.copyTo(output.json ? 'json' : 'csv', print)
            : writeNewFile(path, force, (write) => exports.copyTo('csv', write)),
        { pace: 'unhurried', state: end },
      );
      const campaigns = await exporting.catch(stopped(`Stopped: ${end}.`));
      if (path === '-') return;
      const sentence = `${counted(campaigns, 'campaign was', 'campaigns were')} exported to ${path}.`;
      await output.answer({ campaigns, file: path }, sentence);
    });
}

/** Rejects with the error or, if the command was stopped, with this message. */
const stopped = (message: string) => (error: unknown) => Promise.reject(orStopped(error, message));

const headings: Readonly<Record<string, CampaignColumn>> = {
  ...Object.fromEntries(campaignColumns.map((column) => [column, column])),
  campaign_id: 'id',
};

async function* importLines(
  call: Call,
  path: string,
  ignoreOthers: boolean,
  denied: domain.HostList,
): AsyncGenerator<ImportLine> {
  const columns = { headings, required: ['owner_id'], ignoreOthers } as const;
  for await (const { line, fields, invalid } of readCsv(call, path, columns)) {
    if (fields) yield { line, ...importedCampaign(fields, denied) };
    else yield { line, campaign: null, faults: [{ column: null, fault: 'invalid', reason: invalid }] };
  }
}

type Fields = Readonly<Partial<Record<CampaignColumn, string>>>;
/** `read` returns undefined for an invalid text; `refusal` says why it is invalid. */
type Reader = readonly [read: (text: string) => unknown, refusal: string];

/** In any case, because spreadsheets write `TRUE`. */
const isTrue = (text: string) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined);
const flag: Reader = [isTrue, 'must be true or false'];
const identifier: Reader = [(text) => domain.campaignId(whole(text)), notANumber(1)];
const time: Reader = [
  domain.timestamp,
  'must be a time such as 2026-11-20T15:36:00.123456Z, which a spreadsheet keeps in a column of text',
];
const readers: Readonly<Record<CampaignColumn, Reader>> = {
  id: identifier,
  name: [domain.label, 'must be a name on one line, of 1 to 200 characters'],
  owner_id: identifier,
  is_default: flag,
  created_at: time,
  mirror_id: identifier,
  target_url: [String, 'never: `misfit` checks it'],
  clicks: [(text) => (whole(text) === '0' ? 0 : domain.campaignId(whole(text))), notANumber(0)],
  updated_externally: flag,
  updated_externally_at: time,
  mirror_created_at: time,
  mirror_updated_at: time,
};

/** Reads a campaign from its fields, or returns every fault. Only the owner is required. */
export function importedCampaign(fields: Fields, denied: domain.HostList) {
  const faults: ImportFault[] = [];
  const values = campaignColumns.map((column) => {
    const [read, refusal] = readers[column];
    const text = fields[column];
    const value = text ? read(text) : null;
    const reason = value === undefined ? `${valueIs(text)} ${refusal}` : misfit(column, fields, denied);
    if (reason) faults.push({ column, fault: 'invalid', reason });
    return [column, value];
  });
  return { campaign: faults.length > 0 ? null : (Object.fromEntries(values) as ImportedCampaign), faults };
}

/** Why a value conflicts with other columns or with the denied hosts. */
function misfit(column: CampaignColumn, fields: Fields, denied: domain.HostList): string | undefined {
  const missing = 'it must not be empty';
  if (column === 'owner_id') return fields.owner_id ? undefined : missing;
  if (column === 'target_url') {
    const described = campaignColumns.slice(campaignColumns.indexOf('mirror_id')).find((one) => fields[one]);
    if (!fields.target_url) return described && `${missing}, since ${described} is not`;
    const address = domain.mirrorAddress(fields.target_url, denied);
    return typeof address === 'string' ? undefined : addressFaults[address.fault];
  }
  const isContrary = isTrue(fields.updated_externally || 'false') === !fields.updated_externally_at;
  return column === 'updated_externally_at' && isContrary
    ? 'it must be given if updated_externally is true, and only then'
    : undefined;
}
