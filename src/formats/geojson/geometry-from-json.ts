import { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { GeometryError } from '../../geo/wkb.ts'
import { GeometryParser } from './geometry-parser.ts'
import { JsonScanner, JsonSyntaxError } from './json-scanner.ts'

const encoder = new TextEncoder()

/**
 * Converts one GeoJSON geometry to WKB, with Z if a position has it. Throws `GeometryError` if it is invalid.
 */
export function geometryFromJson(json: string): GeometryBuilder {
  const flat = parse(json, false)
  if (flat.parser.longPositions > 0)
    throw new GeometryError('A position has more than three numbers: GeoJSON has no measures')
  return flat.parser.hasZ ? parse(json, true).builder : flat.builder
}

function parse(json: string, hasZ: boolean): { parser: GeometryParser; builder: GeometryBuilder } {
  const scanner = new JsonScanner()
  const bytes = encoder.encode(`${json}\0`)
  scanner.bytes = bytes
  scanner.end = bytes.length - 1
  const builder = new GeometryBuilder(1)
  const parser = new GeometryParser(scanner, builder, { isMulti: false, hasZ, hasM: false })
  try {
    parser.parse()
  } catch (error) {
    if (error instanceof GeometryError) throw error
    const isSyntax = error instanceof JsonSyntaxError
    throw new GeometryError(isSyntax ? error.message : 'The geometry ends too early')
  }
  return { parser, builder }
}
