// What a command reads, with a progress bar.
export { type GivenFile, givenFile, readShown } from './terminal/given-file.ts';
export { type Progress, progress } from './terminal/progress.ts';
