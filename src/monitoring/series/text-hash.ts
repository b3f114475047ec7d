/** A hash of 53 bits, the same on every machine and in every version: sketches that hold it are stored. */
export function hashText(text: string): number {
  let low = 0x2545f491
  let high = 0x6c078965
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x9e3779b1)
    high = Math.imul(high ^ unit, 0x85ebca77)
    high ^= high >>> 15
  }
  low = mix(low ^ mix(high + text.length))
  high = mix(high ^ low)
  return (high >>> 11) * 4_294_967_296 + (low >>> 0)
}

function mix(value: number): number {
  let bits = value
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad)
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
  return bits ^ (bits >>> 15)
}
