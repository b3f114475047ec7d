import type { FeatureBatch } from '../../geo/batch.ts'
import type { DataFile, Format, LayerDescription, ReadContext } from '../format.ts'
import { findCharset } from '../text/charset.ts'
import { CsvSource } from './csv-source.ts'
import { describeCsv } from './describe.ts'
import { isCsv } from './detect.ts'
import { uniqueHeaders } from './headers.ts'
import { CsvTableReader } from './table-reader.ts'

/** Delimited text (RFC 4180) with a header row: commas, semicolons, tabs or bars, and a WKT column as geometry. */
export const csv: Format = {
  name: 'CSV',
  kind: 'vector',
  extensions: ['csv', 'tsv', 'psv', 'tab', 'txt', 'text', 'dat'],
  sidecars: [{ endings: ['csvt'], of: ['csv'] }],
  mediaTypes: { 'text/csv': ['csv'] },
  canServeDirectly: false,
  findsTypesByText: true,
  writesRowsAs: 'delimited',
  detect: isCsv,
  describe: describeCsv,
  read: readCsv,
  findDelimiter,
}

async function findDelimiter(
  file: DataFile,
  { charset = 'UTF-8' }: LayerDescription,
  { signal }: ReadContext,
) {
  const source = await CsvSource.open(file, charset, signal)
  await source.close()
  return String.fromCharCode(source.dialect.delimiter)
}

async function* readCsv(
  file: DataFile,
  layer: LayerDescription,
  context: ReadContext,
): AsyncGenerator<FeatureBatch> {
  const charset = layer.charset ?? (await findCharset(file.path, context)).name
  const source = await CsvSource.open(file, charset, context.signal)
  try {
    const names = uniqueHeaders(await source.readHeader(), [])
    const reader = new CsvTableReader(source.scanner, layer.schema, names)
    for (let step = source.next(); step !== 'end'; step = source.next()) {
      if (step === 'more') await source.more()
      else {
        reader.takeRow()
        if (reader.isFull) {
          yield reader.takeBatch()
          context.signal.throwIfAborted()
        }
      }
    }
    if (!reader.isEmpty) yield reader.takeBatch()
  } finally {
    await source.close()
  }
}
