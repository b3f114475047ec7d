import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksOf } from './document-commands.ts'
import { freePort, openFolder, startProgram } from './remote-servers.ts'
import type { Cleanup } from './terrane-process.ts'
import { until } from './until.ts'

const program = '/usr/lib/cgi-bin/mapserv'

/** A MapServer behind nginx, with the layers `towns` and `roads` at `/ows`. */
export interface MapServer {
  url: string
  /** Folder of the map files. */
  maps: string
  /** The access log, in the format of docs/operations.md. */
  log: string
  /** Waits until the log, with what was rotated away, has this many lines. */
  untilLogged(lines: number): Promise<void>
  /** Renames the log and makes nginx open a new one, as logrotate does. */
  rotate(name: string): Promise<void>
}

export async function startMapServer(test: Cleanup): Promise<MapServer> {
  if (!existsSync(program))
    throw new Error('Install the Debian packages cgi-mapserver, fcgiwrap and nginx-light')
  const folder = openFolder(test)
  const maps = join(folder, 'maps')
  cpSync(join(import.meta.dirname, '../fixtures/mapserver'), maps, { recursive: true })
  writeFileSync(join(maps, 'mapserver.conf'), 'CONFIG\n  ENV\n    MS_MAP_PATTERN "."\n  END\nEND\n')
  const gateway = await freePort()
  await startProgram(test, 'fcgiwrap', ['-s', `tcp:127.0.0.1:${gateway}`, '-c', '1'], gateway)
  const port = await freePort()
  const logs = join(folder, 'logs')
  mkdirSync(logs)
  const [log, pid, conf] = [join(logs, 'access.log'), join(folder, 'nginx.pid'), join(folder, 'nginx.conf')]
  writeFileSync(conf, configuration({ folder, maps, log, pid, port, gateway }))
  await startProgram(test, 'nginx', ['-p', folder, '-c', conf, '-e', join(folder, 'error.log')], port)
  return {
    url: `http://127.0.0.1:${port}`,
    maps,
    log,
    untilLogged: (lines) => until(() => countLines(logs) >= lines),
    async rotate(name) {
      renameSync(log, join(logs, name))
      process.kill(Number(readFileSync(pid, 'utf8')), 'SIGUSR1')
      await until(() => existsSync(log))
    },
  }
}

interface MapServerFolders {
  folder: string
  maps: string
  log: string
  pid: string
  port: number
  gateway: number
}

function configuration({ folder, maps, log, pid, port, gateway }: MapServerFolders): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 2;
pid ${pid};
error_log ${folder}/error.log;
events { worker_connections 64; }
http {
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${documentedLogFormat()}
  access_log ${log} terrane;
  # Bytes of chunks' frames would be counted as sent, too.
  chunked_transfer_encoding off;
  server {
    listen 127.0.0.1:${port};
    root ${maps};
    location = /ows {
      fastcgi_pass 127.0.0.1:${gateway};
      fastcgi_param SCRIPT_FILENAME ${program};
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length;
      fastcgi_param MAPSERVER_CONFIG_FILE ${maps}/mapserver.conf;
      fastcgi_param MS_MAPFILE ${maps}/test.map;
    }
    location = /broken { return 502; }
  }
}
`
}

function documentedLogFormat(): string {
  const block = blocksOf('docs/operations.md', 'nginx').find(({ heading }) => heading === 'Access logs')
  return /log_format terrane [^;]*;/.exec(block?.code ?? '')?.[0] ?? ''
}

function countLines(logs: string): number {
  const texts = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'))
  return texts.join('').split('\n').length - 1
}
