import { hash } from 'node:crypto';
import type { QueryResultRow } from 'pg';
import { enforced, faultsText, mirrorFaultsText } from '../schema/enforced.ts';

/** Something of the schema that does not enforce what it should. */
export interface EnforcementFault {
  /** Such as `the trigger take_facts on mirrors is off`. */
  readonly finding: string;
  /** Puts it right, as the owner of the schema; null if only a superuser may. */
  readonly mended: string | null;
}

/** The texts themselves are not sent. */
const asked = JSON.stringify(
  enforced.map(({ kind, name, table, body, definer }, place) => {
    return { place, kind, name, table, definer, body: kind === 'function' ? hash('md5', body ?? '') : body };
  }),
);

type Run = <Row extends QueryResultRow>(text: string, values: unknown[]) => Promise<Row[]>;

/** What is missing, off or another's, of a schema with every migration of this version and no other. */
export async function enforcementFaults(run: Run): Promise<EnforcementFault[]> {
  const rows = await run<{ place: number | null; what: string; fault: string }>(faultsText, [asked]);
  return rows.map(({ place, what, fault }) => {
    const one = enforced[place ?? -1];
    if (!one) return { finding: `the ${what} ${fault}`, mended: null };
    const { kind, name, table, text } = one;
    const finding = `the ${kind} ${name}${table ? ` on ${table}` : ''} ${fault}`;
    return { finding, mended: text };
  });
}

/** A mirror that could not be stored like this today. */
export interface MirrorFault {
  readonly campaign_id: number;
  readonly hasNoAddress: boolean;
  /** Its campaign does not exist. */
  readonly isAlone: boolean;
  /** The number of all such mirrors, of which at most five are listed. */
  readonly all: number;
}

/** Mirrors with an address that is none, or with other facts than their campaign. It reads all mirrors. */
export const mirrorFaults = (run: Run) => run<MirrorFault>(mirrorFaultsText, []);
