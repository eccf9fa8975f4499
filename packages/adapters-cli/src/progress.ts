// Files that a command reads with a progress bar.
export {
  type InputFile,
  inputFile,
  type Progress,
  progress,
  readWithProgress,
} from './terminal/input-file.ts';
