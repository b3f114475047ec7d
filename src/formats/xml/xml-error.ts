/** Thrown, always the same object, if a token continues after the available bytes. */
export const outOfXmlBytes = new Error('Out of bytes')

/**
 * The error for invalid or unsupported XML (XML 1.0, fifth edition); `at` is the index in the bytes of the
 * scanner.
 */
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
