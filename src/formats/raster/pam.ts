import { SaxesParser } from 'saxes'
import { openGuarded } from '../../core/files/guarded-files.ts'

const maxBytes = 4 << 20
const kept = new Set(['SRS', 'GeoTransform'])

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[one] ?? one)
}

/** Returns the text of a file, undefined if it exceeds the size limit. */
async function readText(path: string): Promise<string | undefined> {
  const file = await openGuarded(path)
  try {
    if ((await file.stat()).size > maxBytes) return undefined
    return (await file.readFile()).toString('utf8')
  } finally {
    await file.close()
  }
}

/**
 * Returns the parts of an `.aux.xml` that GDAL may read: CRS and georeferencing. Other parts can make GDAL
 * read other files. Undefined if there is neither, or the file is not XML.
 */
export async function cleanAuxiliary(path: string): Promise<string | undefined> {
  const text = await readText(path)
  if (text === undefined) return undefined
  const found = new Map<string, string>()
  const parser = new SaxesParser()
  const way: string[] = []
  let isBroken = false
  parser.on('error', () => {
    isBroken = true
  })
  parser.on('opentag', ({ name }) => way.push(name))
  parser.on('closetag', () => way.pop())
  parser.on('text', (piece) => {
    const [root, name = ''] = way
    if (way.length === 2 && root === 'PAMDataset' && kept.has(name))
      found.set(name, (found.get(name) ?? '') + piece)
  })
  parser.write(text).close()
  if (isBroken || found.size === 0) return undefined
  const elements = [...found].map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`)
  return `<PAMDataset>${elements.join('')}</PAMDataset>`
}
