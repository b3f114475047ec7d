import { readFileSync } from 'node:fs'
import type { CrsDeclaration } from '../../src/geo/crs.ts'

/** Declaration of a CRS in the form that a file format writes, with the code of that CRS. */
interface WrittenDeclaration {
  kind: string
  srs: string
  declaration: CrsDeclaration
}

/** Declarations of many CRSs in every form that files have. */
export const crsDeclarations = JSON.parse(
  readFileSync(new URL('../fixtures/crs/declarations.json', import.meta.url), 'utf8'),
) as WrittenDeclaration[]
