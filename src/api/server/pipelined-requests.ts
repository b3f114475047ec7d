import { Socket } from 'node:net'
import type { ConnectionLimits } from '../../core/config/request-limits.ts'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'

interface PendingRequest {
  reply: FastifyReply
  proceed: () => void
}

interface Connection {
  /** The response that is being made or sent. */
  current: FastifyReply
  /** Requests that wait for the response before theirs; oldest first. */
  waiting: PendingRequest[]
  /** True if the client has sent more than may wait: later requests are never answered. */
  isOverfull: boolean
  isReadingStopped: boolean
}

/** Requests of all connections that may wait at once: about 4 KB of memory each. */
const maxWaiting = 20_000
const checkMs = 1000

/**
 * Answers the requests of a connection one after the other: the next one starts when the client's system has
 * received the previous response. While a request waits, the connection is not read. So a client that does
 * not read costs the memory of one response and of the requests of one read (64 KiB) at most. Its connection
 * is closed if it reads nothing of a response for `unreadSeconds`; streamed responses have a limit of their
 * own.
 */
export function queuePipelinedRequests(
  app: App,
  limits: Pick<ConnectionLimits, 'pipelinedRequests' | 'unreadSeconds'>,
): void {
  const queue = new PipelinedRequests(limits.pipelinedRequests)
  app.addHook('onRequest', (request: FastifyRequest, reply, proceed) => {
    const { socket } = request.raw
    // Injected requests have no connection.
    if (socket instanceof Socket) queue.add(socket, { reply, proceed })
    else proceed()
  })
  const check = setInterval(() => queue.closeUnread(limits.unreadSeconds * 1000), checkMs)
  check.unref()
  app.addHook('onClose', (_app, done) => {
    clearInterval(check)
    done()
  })
}

class PipelinedRequests {
  readonly #maxUnanswered: number
  readonly #connections = new Map<Socket, Connection>()
  #waitingCount = 0

  constructor(maxUnanswered: number) {
    this.#maxUnanswered = maxUnanswered
  }

  /** Starts a request, or lets it wait for the response before. */
  add(socket: Socket, request: PendingRequest): void {
    const connection = this.#connections.get(socket)
    if (connection !== undefined) {
      this.#wait(socket, connection, request)
      return
    }
    const opened = { current: request.reply, waiting: [], isOverfull: false, isReadingStopped: false }
    this.#connections.set(socket, opened)
    this.#start(socket, opened, request)
  }

  /** Sets a time limit for responses whose client does not take all at once. */
  closeUnread(unreadMs: number): void {
    for (const [socket, { current }] of this.#connections) {
      const hasLimit = socket.timeout !== undefined && socket.timeout > 0
      if (socket.writableLength === 0 || hasLimit) continue
      // The time starts again with all bytes that the client's system takes.
      const end = (): void => {
        socket.destroy()
      }
      socket.setTimeout(unreadMs, end)
      current.raw.once('close', () => socket.removeListener('timeout', end))
    }
  }

  #start(socket: Socket, connection: Connection, { reply, proceed }: PendingRequest): void {
    connection.current = reply
    reply.raw.once('close', () => this.#startNext(socket, connection))
    proceed()
  }

  #startNext(socket: Socket, connection: Connection): void {
    const next = socket.destroyed ? undefined : connection.waiting.shift()
    if (next === undefined) {
      this.#waitingCount -= connection.waiting.length
      connection.waiting = []
      this.#connections.delete(socket)
      return
    }
    this.#waitingCount -= 1
    // Limits of sending a response do not apply while the next one is being computed.
    socket.setTimeout(0)
    if (connection.waiting.length === 0 && !connection.isOverfull) resumeReading(socket, connection)
    this.#start(socket, connection, next)
  }

  #wait(socket: Socket, connection: Connection, request: PendingRequest): void {
    if (connection.isOverfull) return
    if (this.#waitingCount >= maxWaiting) {
      socket.destroy()
      return
    }
    if (connection.waiting.length + 1 >= this.#maxUnanswered) {
      connection.isOverfull = true
      const last = connection.waiting.at(-1)
      // Sends `Connection: close` with the last response that is given.
      if (last !== undefined) last.reply.raw.shouldKeepAlive = false
      return
    }
    stopReading(socket, connection)
    connection.waiting.push(request)
    this.#waitingCount += 1
  }
}

function stopReading(socket: Socket, connection: Connection): void {
  if (connection.isReadingStopped) return
  connection.isReadingStopped = true
  socket.pause()
  // The HTTP library resumes the connection itself, for example after each write.
  socket.resume = () => socket
}

function resumeReading(socket: Socket, connection: Connection): void {
  if (!connection.isReadingStopped) return
  connection.isReadingStopped = false
  Reflect.deleteProperty(socket, 'resume')
  socket.resume()
}
