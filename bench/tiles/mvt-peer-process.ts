import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Pool } from 'pg'
import { quoteIdentifier } from '../../src/core/postgres/quote.ts'

const pool = new Pool({
  // The server recognizes a client with this name as read-only. Other clients may have a change that is not
  // visible yet.
  application_name: 'terrane bench',
  connectionString: process.env['DATABASE_URL'],
  max: Number(process.env['CONNECTIONS']),
})
/** Column name of a GeoJSON geometry in a table. */
const column = 'geometry'
const compress = promisify(gzip)

/** As its manual writes it, and with the key as id. */
function sqlOf(table: string, srid: number): string {
  const box = 'ST_TileEnvelope($1, $2, $3, margin => 64.0 / 4096)'
  const isMercator = srid === 3857
  const geometry = isMercator ? column : `ST_Transform(${column}, 3857)`
  const target = isMercator ? box : `ST_Transform(${box}, ${srid})`
  return `select ST_AsMVT(shown, 'layer', 4096, 'shape', 'fid') as tile from (
    select fid, ident, name, kind, people, height, year, seen,
      ST_AsMVTGeom(${geometry}, ST_TileEnvelope($1, $2, $3), 4096, 64) as shape
    from ${quoteIdentifier(table)} where ${column} && ${target}) as shown where shape is not null`
}

const server = createServer((request, response) => {
  const [, table = '', srid, z, x, y] = (request.url ?? '').split('/')
  pool
    .query<{ tile: Buffer }>({
      name: `${table} ${srid}`,
      text: sqlOf(table, Number(srid)),
      values: [z, x, y],
    })
    .then(({ rows }) => compress(rows[0]?.tile ?? Buffer.alloc(0), { level: 1 }))
    .then((bytes) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bytes.length }).end(bytes),
    )
    .catch((error: unknown) => {
      console.error(error)
      response.writeHead(500).end()
    })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' ? address?.port : '')
})
