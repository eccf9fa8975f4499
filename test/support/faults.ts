/** What a promise is rejected with; an error of its own where it is not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return new Error('was not rejected');
}
