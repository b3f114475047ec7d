// Loaded before tests (`node --import`): makes a test fail that connects to the default port of a server on this machine, or
// that creates `data` below the folder in which it runs.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { resolve } from 'node:path'

const defaultPort = 8080
const defaultData = resolve('data')
const loopback = /^(?:localhost|127\.[\d.]+|::1|0\.0\.0\.0|::|)$/

const { connect } = Socket.prototype
Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  const first: unknown = Array.isArray(args[0]) ? args[0][0] : args[0]
  const { port, host } =
    typeof first === 'object' && first !== null
      ? { port: Reflect.get(first, 'port'), host: Reflect.get(first, 'host') }
      : { port: first, host: args[1] }
  if (Number(port) === defaultPort && loopback.test(typeof host === 'string' ? host : ''))
    throw new Error(
      `A test connects to port ${defaultPort} of this machine, where a server of a user may run`,
    )
  return Reflect.apply(connect, this, args)
}

/** Wraps a function that creates a folder. */
function guarded<T extends (path: fs.PathLike, ...others: never[]) => unknown>(create: T): T {
  return ((path, ...others) => {
    if (`${resolve(String(path))}/`.startsWith(`${defaultData}/`))
      throw new Error(`A test creates ${String(path)}, the data directory of a user: set TERRANE_DATA`)
    return create(path, ...others)
  }) as T
}

Object.assign(fs, { mkdir: guarded(fs.mkdir), mkdirSync: guarded(fs.mkdirSync) })
Object.assign(fs.promises, { mkdir: guarded(fs.promises.mkdir) })
syncBuiltinESMExports()
