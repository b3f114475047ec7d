import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalid } from '../../core/errors/errors.ts'
import type { RowPosition } from '../../stores/index.ts'

/** Start of a page: the content of a token. */
export interface PagePosition {
  row: RowPosition
  isBackward: boolean
  /** Approximate number of features before the page. */
  passed: number
}

/** Longer tokens make URLs that proxies reject. */
const longestToken = 2000
const macBytes = 16

/** Positions in the pages of layers as texts, which are signed. */
export class PageTokens {
  readonly #key: Buffer

  /** `secret`: what the servers of a catalogue have in common. */
  constructor(secret: Uint8Array) {
    this.#key = createHmac('sha256', secret).update('positions of pages').digest()
  }

  /** Undefined where it would be too long; `about`: what the position is good for alone, the layer and its order. */
  write({ row, isBackward, passed }: PagePosition, about: string): string | undefined {
    const body = Buffer.from(JSON.stringify([isBackward ? 1 : 0, passed, row.id, ...row.values]))
    const token = Buffer.concat([this.#mac(body, about), body]).toString('base64url')
    return token.length <= longestToken ? token : undefined
  }

  /** Throws `invalid-position` for what was not written for the same. */
  read(token: string, about: string): PagePosition {
    const bytes = Buffer.from(token.slice(0, longestToken), 'base64url')
    const body = bytes.subarray(macBytes)
    const mac = bytes.subarray(0, macBytes)
    const isOwn = mac.length === macBytes && timingSafeEqual(mac, this.#mac(body, about))
    if (!isOwn || bytes.toString('base64url') !== token)
      throw invalid(
        'invalid-position',
        'position is not valid for this collection and order: start without it',
      )
    const [isBackward, passed, id, ...values] = JSON.parse(body.toString()) as [
      number,
      number,
      string,
      ...(string | null)[],
    ]
    return { row: { id, values }, isBackward: isBackward === 1, passed }
  }

  #mac(body: Uint8Array, about: string): Buffer {
    const mac = createHmac('sha256', this.#key).update(`${about.length} ${about} `).update(body).digest()
    return mac.subarray(0, macBytes)
  }
}
