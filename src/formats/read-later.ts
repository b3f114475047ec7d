import type { Format } from './format.ts'

/** What of a format opens files. */
export type FormatReading = Pick<Format, 'describe' | 'read'>

/** The reading of a format whose code is read from the disk with the first file of it: most threads never meet one. */
export function readLater(load: () => Promise<FormatReading>): FormatReading {
  return {
    describe: async (file, context) => (await load()).describe(file, context),
    async *read(file, layer, context) {
      yield* (await load()).read(file, layer, context)
    },
  }
}
