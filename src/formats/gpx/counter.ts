import type { TextToken } from '../xml/xml-scanner.ts'

/** An integer as the text of a field, without creating a string. */
export class Counter implements TextToken {
  readonly field: number
  readonly textBytes = new Uint8Array(16)
  textStart = 15
  readonly textEnd = 16
  readonly isAscii = true

  constructor(field: number) {
    this.field = field
  }

  set(value: number): void {
    let at = this.textEnd
    let rest = value
    do {
      at -= 1
      this.textBytes[at] = 0x30 + (rest % 10)
      rest = Math.floor(rest / 10)
    } while (rest > 0)
    this.textStart = at
  }
}
