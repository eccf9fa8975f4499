/** The largest key set that is read, in bytes. A key has some 400 to 2,000. */
const maxBytes = 262_144;

/**
 * Fetches a key set for jose, which limits the time and takes 200 for an answer only. A redirect is not followed, and a
 * large answer is not read to its end.
 * @throws Error if the answer is not 200, or exceeds 256 KiB
 */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const { status, body } = await fetch(url, { ...options, redirect: 'manual' });
  if (status !== 200 || !body) {
    await body?.cancel();
    throw new Error(`the address of the keys answers ${status}`);
  }
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes > maxBytes) controller.error(new Error(`the key set exceeds ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(limit));
}
