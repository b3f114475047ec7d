/** Thrown, always this same object, when a token goes on behind the bytes at hand. */
export const outOfBytes = new Error('Out of bytes')

/** Not XML that is read here (XML 1.0, fifth edition); `at` is the index in the scanner's bytes. */
export class XmlSyntaxError extends Error {
  readonly at: number
  readonly code: string

  constructor(message: string, at: number, code = 'bad-xml') {
    super(message)
    this.name = 'XmlSyntaxError'
    this.at = at
    this.code = code
  }
}
