import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../tests/support/remote-servers.ts'

const program = '/usr/lib/cgi-bin/mapserv'
const templates = '/usr/share/mapserver/ogcapi/templates/html-bootstrap4/'
const processes = 4
const patienceMs = 10_000

/** Layer of a map file: its name and the lines that define its data source. */
export interface MapLayer {
  name: string
  source: string[]
  /** Default: points. */
  type?: 'POINT' | 'LINE' | 'POLYGON'
}

export interface BenchMapServer {
  itemsUrl(layer: string): string
  /** Features by WFS 2.0 as GML 3.2. */
  featuresUrl(layer: string): string
  /** Maps by WMS. */
  mapsUrl(layer: string): string
  /** A vector tile. */
  tileUrl(layer: string, tile: { z: number; x: number; y: number }): string
  stop(): void
}

/** MapServer's OGC API by FastCGI behind nginx, with as many processes as there are on a small server. */
export async function startBenchMapServer(layers: MapLayer[]): Promise<BenchMapServer> {
  if (!existsSync(program)) throw new Error('Install the Debian packages cgi-mapserver and nginx-light')
  const folder = mkdtempSync(join(tmpdir(), 'terrane-bench-map-'))
  const [gateway, port] = [await freePort(), await freePort()]
  const [map, conf, nginx] = [
    join(folder, 'bench.map'),
    join(folder, 'mapserver.conf'),
    join(folder, 'nginx.conf'),
  ]
  writeFileSync(map, mapFile(layers, port))
  writeFileSync(conf, configuration(map))
  writeFileSync(nginx, nginxConfiguration({ folder, gateway, port, conf }))
  const children = [
    spawn('python3', ['-c', spawner, String(gateway), String(processes), program], {
      stdio: ['pipe', 'ignore', 'inherit'],
      env: { PATH: process.env['PATH'], MAPSERVER_CONFIG_FILE: conf },
    }),
    spawn('nginx', ['-p', folder, '-c', nginx, '-e', join(folder, 'error.log')], { stdio: 'ignore' }),
  ]
  const stop = (): void => {
    for (const child of children) child.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', stop)
  await Promise.all([untilOpen(gateway), untilOpen(port)])
  return {
    itemsUrl: (layer) => `http://127.0.0.1:${port}/mapserv/bench/ogcapi/collections/${layer}/items?f=json`,
    featuresUrl: (layer) =>
      `http://127.0.0.1:${port}/mapserv?map=bench&service=WFS&version=2.0.0&request=GetFeature&typenames=${layer}`,
    mapsUrl: (layer) => `http://127.0.0.1:${port}/mapserv?map=bench&service=WMS&layers=${layer}`,
    tileUrl: (layer, { z, x, y }) =>
      `http://127.0.0.1:${port}/mapserv?map=bench&mode=tile&tilemode=gmap&layers=${layer}&tile=${x}+${y}+${z}&map.imagetype=mvt`,
    stop: () => {
      process.off('exit', stop)
      stop()
    },
  }
}

/** Passes the listening socket to each process as its standard input (FastCGI 1.0, section 2.2); ends them with itself. */
const spawner = `
import os, signal, socket, sys
port, count, program = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
listening = socket.socket()
listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listening.bind(('127.0.0.1', port))
listening.listen(256)
children = []
for _ in range(count):
    pid = os.fork()
    if pid == 0:
        os.dup2(listening.fileno(), 0)
        os.execv(program, [program])
    children.append(pid)
def end(*_):
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
sys.stdin.read()
end()
`

async function untilOpen(port: number): Promise<void> {
  const end = performance.now() + patienceMs
  while (performance.now() < end) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('close', () => resolve(false))
      socket.unref()
      setTimeout(() => socket.destroy(), 100)
    })
    if (isOpen) return
    await sleep(50)
  }
  throw new Error(`Nothing listens on port ${port}`)
}

function mapFile(layers: MapLayer[], port: number): string {
  return `MAP
  NAME "bench"
  EXTENT -180 -90 180 90
  PROJECTION "init=epsg:4326" END
  IMAGETYPE "mvt"
  OUTPUTFORMAT NAME "mvt" DRIVER "MVT" FORMATOPTION "EXTENT=4096" FORMATOPTION "EDGE_BUFFER=64" END
  WEB METADATA
    "ows_enable_request" "*"
    "ows_srs" "EPSG:4326"
    "ows_title" "bench"
    "ows_onlineresource" "http://127.0.0.1:${port}/mapserv?map=bench"
    "oga_onlineresource" "http://127.0.0.1:${port}/mapserv/bench/ogcapi"
  END END
${layers.map(layerBlock).join('\n')}
END
`
}

function layerBlock({ name, source, type = 'POINT' }: MapLayer): string {
  return `  LAYER
    NAME "${name}"
    TYPE ${type}
    STATUS ON
    ${source.join('\n    ')}
    TEMPLATE "any"
    PROJECTION "init=epsg:4326" END
    PROCESSING "CLOSE_CONNECTION=DEFER"
    METADATA "ows_title" "${name}" "gml_featureid" "ident" "gml_include_items" "all" END
  END`
}

function configuration(map: string): string {
  return `CONFIG
  ENV
    MS_MAP_PATTERN "."
    OGCAPI_HTML_TEMPLATE_DIRECTORY "${templates}"
  END
  MAPS
    bench "${map}"
  END
END
`
}

function nginxConfiguration(place: { folder: string; gateway: number; port: number; conf: string }): string {
  const { folder, gateway, port, conf } = place
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 256; }
http {
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  access_log off;
  server {
    listen 127.0.0.1:${port};
    location ~ ^(/mapserv)(/.*)?$ {
      fastcgi_pass 127.0.0.1:${gateway};
      fastcgi_buffers 64 16k;
      fastcgi_param SCRIPT_NAME $1;
      fastcgi_param PATH_INFO $2;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param SERVER_NAME 127.0.0.1;
      fastcgi_param SERVER_PORT ${port};
      fastcgi_param HTTP_HOST $host;
      fastcgi_param MAPSERVER_CONFIG_FILE ${conf};
    }
  }
}
`
}
