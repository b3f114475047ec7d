import type { CrsDeclaration } from './crs.ts'
import { declarationShape } from './crs-declaration.ts'
import { matchCrs } from './crs-match.ts'
import { parseCrsWkt, textAt } from './crs-wkt.ts'

/** A CRS that data declare by a definition for which the CRS table has no code. */
export interface UncodedCrs {
  /** Name in the definition; empty if it has none. */
  name: string
  /** The definition as found: WKT, or PROJJSON or a PROJ string where the data have those. */
  definition: string
}

const maxNameLength = 100
/** Placeholder names that programs write. */
const noName = /^(?:unnamed|unknown|undefined|custom)$/i

/**
 * Returns the definition of a declared CRS without a code; undefined for one with a code, and for text that
 * defines none.
 */
export function findUncodedCrs(crs: CrsDeclaration | undefined): UncodedCrs | undefined {
  if (crs === undefined || matchCrs(crs) !== undefined) return undefined
  const definition = crs.wkt ?? crs.projjson ?? crs.proj4
  if (definition === undefined) return undefined
  const shape = declarationShape(crs)
  const node = shape === undefined && crs.wkt !== undefined ? parseCrsWkt(crs.wkt) : undefined
  if (shape === undefined && !/(?:CRS|CS)$/.test(node?.keyword ?? '')) return undefined
  const name = shape?.name ?? textAt(node, 0) ?? ''
  return { name: noName.test(name) ? '' : name.slice(0, maxNameLength), definition }
}

/** Returns the name of a CRS for users: its code, or the name in its definition. */
export function labelOfCrs(crs: CrsDeclaration): string {
  const srs = matchCrs(crs)
  if (srs !== undefined) return srs
  const name = findUncodedCrs(crs)?.name ?? crs.srs ?? ''
  return name === '' ? 'the CRS that the data declare' : `"${name}"`
}
