import cluster from 'node:cluster';

/** Who writes a line of the log: the process, and which worker of its primary that is, if it is one. */
export const logOrigin: { readonly pid: number; readonly worker?: number } = {
  pid: process.pid,
  ...(cluster.worker && { worker: cluster.worker.id }),
};
