// What a command reads, with a progress bar.
export { type GivenFile, givenFile, type Progress, progress, readShown } from './terminal/given-file.ts';
