import type { TransferList } from './messages.ts'

/** Context of a handler call. */
export interface CallContext<Notice = never, WorkerQuery = never, Answer = unknown> {
  /** Aborts if the caller no longer needs the result. */
  signal: AbortSignal
  /** Sends a notice to the caller during the call; counts as progress. */
  notify(notice: Notice, transfer?: TransferList): void
  /** Sends a question to the caller and waits; throws the caller's error, and the signal's reason. */
  ask(nonNullable: WorkerQuery): Promise<Answer>
}

/**
 * A result or chunk whose parts are transferred to another thread instead of copied; for another process they
 * are copied.
 */
export class Transfer<T> {
  readonly value: T
  readonly list: TransferList

  constructor(value: T, list: TransferList) {
    this.value = value
    this.list = list
  }
}

/**
 * Functions of a thread or process, by name. A handler returns a value or a promise, or, for streams, is a
 * generator of chunks; each of them may be wrapped in `Transfer`.
 */
export type Handlers = { readonly [name: string]: (argument: never, context: never) => unknown }

/** Names of the handlers of a worker. */
export type HandlerName<H extends Handlers> = Extract<keyof H, string>

type ArgumentOf<H extends Handlers, K extends keyof H> =
  Parameters<H[K]> extends [infer Argument, ...unknown[]] ? Argument : undefined

type ContextOf<H extends Handlers, K extends keyof H> =
  Parameters<H[K]> extends [unknown, infer Context] ? Context : CallContext

/** The value of a `Transfer`, or the value itself. */
export type Unwrapped<T> = T extends Transfer<infer Value> ? Value : T

/** Result of a call with that name. */
export type ResultOf<H extends Handlers, K extends keyof H> = Unwrapped<Awaited<ReturnType<H[K]>>>

/** Chunk type of a streaming call. */
export type ChunkOf<H extends Handlers, K extends keyof H> =
  ReturnType<H[K]> extends AsyncIterable<infer Chunk>
    ? Unwrapped<Chunk>
    : ReturnType<H[K]> extends Iterable<infer Chunk>
      ? Unwrapped<Chunk>
      : never

/**
 * Limits of a call. Deadline and silence limits start when the worker reports that it has begun the call, so
 * they never include the start of the worker or the time in a queue. They count CPU time of the worker where
 * it can be measured (on Linux), and end in any case after ten times as much elapsed time; a worker that gets
 * little CPU time is slow, not stuck. A worker that runs several calls at once counts its CPU time for each
 * of them.
 */
export interface CallLimits {
  /**
   * Stops the handler. A worker that does not stop within `graceMs` is killed. A call that the worker has not
   * begun ends immediately and the worker is not killed. The call throws the signal's reason.
   */
  signal?: AbortSignal | undefined
  /** CPU time that the call may use, without the time in which it waits for the caller. Then the worker is killed. */
  deadlineMs?: number | undefined
  /** CPU time that may pass without a notice, question or chunk and without a free event loop. Then the worker is killed. */
  silenceMs?: number | undefined
  /** Time between the signal and the kill, counted like `deadlineMs`. Default: 1.5 seconds. */
  graceMs?: number | undefined
  /** Parts of the argument that are transferred to a thread instead of copied. */
  transfer?: TransferList | undefined
}

/** Limits of a call, and callbacks for the worker's notices and questions. */
export interface CallOptions<Notice, WorkerQuery, Answer> extends CallLimits {
  onNotice?(notice: Notice): void
  /** Answers a question of the handler; throwing refuses it. */
  onAsk?(nonNullable: WorkerQuery): Promise<Answer> | Answer
}

type OptionsOf<H extends Handlers, K extends keyof H> =
  ContextOf<H, K> extends CallContext<infer Notice, infer WorkerQuery, infer Answer>
    ? CallOptions<Notice, WorkerQuery, Answer>
    : CallLimits

/** The argument if the handler takes one, then options. */
export type CallParameters<H extends Handlers, K extends keyof H, More = unknown> =
  undefined extends ArgumentOf<H, K>
    ? [argument?: ArgumentOf<H, K>, options?: OptionsOf<H, K> & More]
    : [argument: ArgumentOf<H, K>, options?: OptionsOf<H, K> & More]
