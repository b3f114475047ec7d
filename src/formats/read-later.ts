import type { Format } from './format.ts'

/** The methods of a format that open files. */
export type FormatReading = Pick<Format, 'describe' | 'read'>

/** Imports the reader of a format with the first file of that format: most threads never use it. */
export function readLater(load: () => Promise<FormatReading>): FormatReading {
  return {
    describe: async (file, context) => (await load()).describe(file, context),
    async *read(file, layer, context) {
      yield* (await load()).read(file, layer, context)
    },
  }
}
