/** The dump is invalid; the message has the position of the error. */
export class DumpError extends Error {
  override readonly name = 'DumpError'
}
