import type { FastifyReply } from '../app-types.ts'

/** Calls `note` once, just before the first bytes of the response are written. */
export function onFirstByte({ raw }: FastifyReply, note: () => void): void {
  const { write, end } = raw
  const begin = (): void => {
    Object.assign(raw, { write, end })
    note()
  }
  Object.assign(raw, {
    write: (...parameters: Parameters<typeof write>) => {
      begin()
      return raw.write(...parameters)
    },
    end: (...parameters: Parameters<typeof end>) => {
      begin()
      return raw.end(...parameters)
    },
  })
}
