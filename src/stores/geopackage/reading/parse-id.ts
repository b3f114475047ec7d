/** Parses an id; undefined if it is invalid. */
export function parseFeatureId(text: string): bigint | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined
  const id = BigInt(text)
  return BigInt.asIntN(64, id) === id ? id : undefined
}
