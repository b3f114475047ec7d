import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Cleanup } from './terrane-process.ts'
import { temporaryData } from './terrane-process.ts'

const run = promisify(execFile)
const archive = join(import.meta.dirname, '..', 'fixtures', 'ogc-schemas', 'schemas.zip')

/** A document to be validated by the schemas of the OGC that it names. */
export interface XmlDocument {
  name: string
  text: string
  /** Texts of schemas by their namespaces, in place of the schemas that the document names. */
  schemas?: Record<string, string>
}

/** The faults of each document, by its name; those without any are left out. */
export async function faultsOfXml(
  t: Cleanup,
  xmlDocuments: readonly XmlDocument[],
): Promise<Record<string, string[]>> {
  const folder = temporaryData(t)
  const python = '/usr/bin/python3'
  await run(python, ['-m', 'zipfile', '-e', archive, join(folder, 'schemas')])
  const written = xmlDocuments.map(({ text, schemas = {} }, at) => {
    const path = join(folder, `${at}.xml`)
    writeFileSync(path, text)
    const own = Object.entries(schemas).map(([namespace, schema], index): [string, string] => {
      const place = join(folder, 'schemas', `own-${at}-${index}.xsd`)
      writeFileSync(place, schema)
      return [namespace, place]
    })
    return { path, schemas: Object.fromEntries(own) }
  })
  const child = run(python, [join(import.meta.dirname, 'validate-xml.py'), join(folder, 'schemas')], {
    maxBuffer: 16 << 20,
  })
  child.child.stdin?.end(JSON.stringify(written))
  const found = JSON.parse((await child).stdout) as string[][]
  return Object.fromEntries(
    xmlDocuments.flatMap(({ name }, at): [string, string[]][] =>
      found[at]?.length === 0 ? [] : [[name, found[at] ?? []]],
    ),
  )
}
