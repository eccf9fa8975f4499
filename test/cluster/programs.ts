import { documented as documentedIn } from '../support/documents/documented.ts';
import { program as anyProgram } from '../support/programs.ts';

const document = 'docs/how-to/cluster.md';

/** The path of a program that has to be there. @throws Error that says what to install */
export const program = (name: string) => anyProgram(name, 'ops/debian-packages-cluster');

/** A block of the document, with texts replaced. @throws Error where it lacks one of them */
export const documented = (language: string, replaced: Readonly<Record<string, string>> = {}) =>
  documentedIn(document, language, replaced);
