import type { FastifyReply } from '../app-types.ts'

/** Calls `note` once, just before the first bytes of the response are written. */
export function onFirstByte({ raw }: FastifyReply, note: () => void): void {
  const { write, end } = raw
  let isBegun = false
  const begin = (): void => {
    if (isBegun) return
    isBegun = true
    note()
  }
  // The functions stay: others may have wrapped them meanwhile.
  Object.assign(raw, {
    write: (...parameters: unknown[]) => {
      begin()
      return Reflect.apply(write, raw, parameters)
    },
    end: (...parameters: unknown[]) => {
      begin()
      return Reflect.apply(end, raw, parameters)
    },
  })
}
