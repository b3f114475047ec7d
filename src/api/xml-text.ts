/**
 * Returns the text of an XML body, decoded by its byte order mark, the `charset` of its media type, or its XML declaration;
 * default UTF-8. Throws what `failure` returns for bytes that are not text in that encoding.
 */
export function decodeXml(
  body: Buffer,
  contentType: string | undefined,
  failure: (reason: string) => Error,
): string {
  const charset = /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i
  const [, ...parameters] = (contentType ?? '').split(';')
  const named = parameters.map((one) => charset.exec(one)?.[1]).find((one) => one !== undefined)
  const encoding = markedEncoding(body) ?? named ?? declaredEncoding(body) ?? 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(body)
  } catch {
    throw failure(`is not text in the encoding "${encoding.slice(0, 40)}"`)
  }
}

function markedEncoding(body: Buffer): string | undefined {
  const [first, second] = body
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}

function declaredEncoding(body: Buffer): string | undefined {
  const start = body.subarray(0, 200).toString('latin1')
  return /^(?:\xEF\xBB\xBF)?\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(start)?.[1]
}
