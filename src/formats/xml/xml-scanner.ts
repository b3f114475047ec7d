import { readReference } from './character-reference.ts'
import { ScratchText } from './scratch-text.ts'
import { TagScanner } from './tag-scanner.ts'
import { isSame } from './word-table.ts'

/** The last text: UTF-8 without references, trimmed, unless its source is invalid. */
export interface TextToken {
  textBytes: Uint8Array
  textStart: number
  textEnd: number
  isAscii: boolean
}

/**
 * Reads text and attributes of elements: `text` consumes the last opened one. Throws `RowError` for an
 * invalid reference.
 */
export class XmlScanner extends TagScanner implements TextToken {
  textBytes: Uint8Array = this.bytes
  textStart = 0
  textEnd = 0
  isAscii = true
  readonly #scratch = new ScratchText()

  /** Makes the name of the current element, with its prefix, the text. */
  name(): void {
    this.#setText(this.bytes, this.tagStart + 1, this.tag.nameEnd, 0xff)
  }

  /**
   * Makes the value of an attribute of the last opened element the current text; false if there is none of
   * that name.
   */
  attribute(name: Uint8Array): boolean {
    const { attributes, attributeCount } = this.tag
    for (let at = 0; at < attributeCount * 4; at += 4) {
      if (!isSame(name, this.bytes, attributes[at] as number, attributes[at + 1] as number)) continue
      this.#takeValue(attributes[at + 2] as number, attributes[at + 3] as number)
      return true
    }
    return false
  }

  /** Reads the last opened element to its end as text; of nested elements only their text is included. */
  text(): void {
    const { bytes } = this
    let at = this.at
    if (this.isEmpty) {
      this.isEmpty = false
      this.#setText(bytes, at, at, 0)
      return
    }
    let seen = 0
    let byte = bytes[at] as number
    while (byte !== 0x3c && byte !== 0x26 && byte !== 0x0d && byte !== 0) {
      seen |= byte
      at += 1
      byte = bytes[at] as number
    }
    if (byte === 0) this.fail('A NUL character stands in the file', at)
    if (byte !== 0x3c || bytes[at + 1] !== 0x2f) {
      this.#longText()
      return
    }
    const start = this.at
    this.at = this.closeTag(at + 2)
    this.#setText(bytes, start, at, seen)
  }

  #setText(bytes: Uint8Array, from: number, to: number, seen: number): void {
    let start = from
    let end = to
    while (start < end && (bytes[start] as number) <= 0x20) start += 1
    while (start < end && (bytes[end - 1] as number) <= 0x20) end -= 1
    this.textBytes = bytes
    this.textStart = start
    this.textEnd = end
    this.isAscii = seen < 0x80
  }

  /** Reads text with references, carriage returns, CDATA sections, comments or elements. */
  #longText(): void {
    const { bytes } = this
    const scratch = this.#scratch
    scratch.clear()
    let at = this.at
    for (let inside = 1; inside > 0; ) {
      const from = at
      let byte = bytes[at] as number
      while (byte !== 0x3c && byte !== 0x26 && byte !== 0) {
        at += 1
        byte = bytes[at] as number
      }
      scratch.appendLines(bytes, from, at)
      if (byte === 0) this.fail('A NUL character stands in the file', at)
      const next = bytes[at + 1] as number
      if (byte === 0x26) at = readReference(bytes, at, this.end, scratch)
      else if (next === 0x2f) {
        at = this.closeTag(at + 2)
        inside -= 1
      } else if (next === 0x21 || next === 0x3f) {
        const behind = this.passMarkup(at)
        if (bytes[at + 2] === 0x5b) scratch.appendLines(bytes, at + 9, behind - 3)
        at = behind
      } else {
        this.openTag(at)
        at = this.at
        if (this.isEmpty) this.isEmpty = false
        else inside += 1
      }
    }
    this.at = at
    scratch.seal()
    this.#setText(scratch.bytes, 0, scratch.length, 0xff)
  }

  #takeValue(start: number, end: number): void {
    const { bytes } = this
    let seen = 0
    let at = start
    for (; at < end && bytes[at] !== 0x26; at += 1) seen |= bytes[at] as number
    if (at === end) {
      this.#setText(bytes, start, end, seen)
      return
    }
    const scratch = this.#scratch
    scratch.clear()
    for (let from = start; from < end; from = at) {
      while (at < end && bytes[at] !== 0x26) at += 1
      scratch.append(bytes, from, at)
      if (at < end) at = readReference(bytes, at, this.end, scratch)
    }
    scratch.seal()
    this.#setText(scratch.bytes, 0, scratch.length, 0xff)
  }
}
