/** One range of an `Accept…` header. */
interface AcceptRange {
  range: string
  /** 0 to 1. */
  weight: number
}

/** Returns the ranges of an `Accept…` header in sequence (RFC 9110, section 12.4.2). */
export function rangesOf(header: string): AcceptRange[] {
  return header
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((one) => one.trim())
      const q = parameters.find((one) => one.startsWith('q='))?.slice(2)
      const weight = q === undefined ? 1 : Number(q)
      return { range, weight: weight >= 0 && weight <= 1 ? weight : 0 }
    })
    .filter(({ range }) => range !== '')
}
