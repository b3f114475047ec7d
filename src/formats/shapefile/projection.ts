import type { CrsDeclaration } from '../../geo/crs.ts'
import type { FormatMessage } from '../format.ts'

const maxBytes = 1 << 16

const wktPattern = new RegExp(
  '^(?:PROJCS|GEOGCS|GEOCCS|COMPD_CS|VERT_CS|LOCAL_CS|FITTED_CS|BOUNDCRS|COMPOUNDCRS|DERIVEDPROJCRS|ENGCRS|' +
    'ENGINEERINGCRS|GEODCRS|GEODETICCRS|GEOGCRS|GEOGRAPHICCRS|PROJCRS|PROJECTEDCRS)\\s*[[(].*[\\])]$',
  'is',
)

/** Returns the CRS of a .prj; if it is not WKT (such as an error page) no CRS, and a message. */
export function parseProjection(bytes: Uint8Array): {
  crs: CrsDeclaration | undefined
  messages: FormatMessage[]
} {
  const text = new TextDecoder().decode(bytes.subarray(0, maxBytes)).replaceAll('\0', '').trim()
  if (bytes.length <= maxBytes && wktPattern.test(text)) return { crs: { wkt: text }, messages: [] }
  const start = text === '' ? 'nothing' : JSON.stringify(text.slice(0, 40))
  const message = `The .prj holds no coordinate reference system in WKT; it starts with ${start}. Set the CRS by hand.`
  return { crs: undefined, messages: [{ level: 'warning', code: 'bad-prj', message }] }
}
