import cluster from 'node:cluster';

/** Which process writes a line of the log, and which worker it is, if any. */
export const logOrigin: { readonly pid: number; readonly worker?: number } = {
  pid: process.pid,
  ...(cluster.worker && { worker: cluster.worker.id }),
};
