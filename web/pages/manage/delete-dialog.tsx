import { useEffect, useState } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { Failed, reasonOf } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { addressOf } from '../../lib/base.ts'
import { formatNumber } from '../../lib/numbers.ts'
import { manageTexts } from '../../messages/manage/texts.ts'
import { messages } from '../../messages/messages.ts'
import { closeDialog } from './row-acts.tsx'

interface Names {
  total: number
  names: string[]
}

/** Dependents of a resource, as far as its endpoint lists them. */
export interface Dependents {
  layers?: Names
  stores?: Names
  styles?: Names
  versions?: { total: number; bytes: number }
  imports?: { total: number; ids: number[] }
  files?: number
  tokens?: Names
  sessions?: number
  permissions?: Names
}

interface Line {
  text: string
  total: number
  names: { text: string; to?: string }[]
}

const maxShown = 8

function linesOf(found: Dependents): Line[] {
  const texts = manageTexts.value.removing
  const { locale } = messages.value
  const plain = (names: Names | undefined, say: (total: number) => string, to?: (name: string) => string) =>
    names === undefined
      ? []
      : [
          {
            text: say(names.total),
            total: names.total,
            names: names.names.map((text) => ({ text, to: to ? to(text) : undefined })),
          },
        ]
  const counted = (total: number | undefined, text: (total: number) => string) =>
    total === undefined ? [] : [{ text: text(total), total, names: [] }]
  const megabytes = (bytes: number): string =>
    formatNumber(locale, bytes / 1e6, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 })
  return [
    ...plain(found.layers, texts.layers, (name) => `/app/layers/${encodeURIComponent(name)}`),
    ...plain(found.stores, texts.stores),
    ...plain(found.styles, texts.styles),
    ...counted(found.versions?.total, (total) =>
      texts.versions(total, megabytes(found.versions?.bytes ?? 0)),
    ),
    ...(found.imports === undefined
      ? []
      : [
          {
            text: texts.imports(found.imports.total),
            total: found.imports.total,
            names: found.imports.ids.map((id) => ({ text: String(id), to: `/app/imports/${id}` })),
          },
        ]),
    ...counted(found.files, texts.files),
    ...plain(found.tokens, texts.tokens),
    ...plain(found.permissions, texts.permissions),
    ...counted(found.sessions, texts.sessions),
  ].filter(({ total }) => total > 0)
}

interface Props {
  name: string
  /** Path of the resource, with `dependents` below it. */
  path: string
  /** Finds the dependents; default: asks the endpoint below the resource. */
  find?(signal: AbortSignal | undefined): Promise<Dependents>
  /** Includes contained resources. */
  query?: Call['query']
  hint?: string
  onDone(): Promise<void>
}

/** Confirms a deletion, and shows its dependents first. */
export function DeleteDialog({ name, path, find, query, hint, onDone }: Props) {
  const texts = manageTexts.value
  const [found, setFound] = useState<Dependents>()
  const [error, setError] = useState<unknown>()
  const [refusal, setRefusal] = useState<unknown>()
  const look = (signal?: AbortSignal): void => {
    setError(undefined)
    const finding =
      find === undefined
        ? call<{ dependents: Dependents }>({ path: `${path}/dependents` }, signal).then(
            ({ dependents }) => dependents,
          )
        : find(signal)
    finding.then(setFound, (reason: unknown) => {
      if (signal?.aborted !== true) setError(reason)
    })
  }
  useEffect(() => {
    const asking = new AbortController()
    look(asking.signal)
    return () => asking.abort()
  }, [path])
  const requested: Call = { method: 'DELETE', path, query }
  const remove = async (): Promise<void> => {
    try {
      await call(requested)
      say(texts.removed(name))
      closeDialog()
      await onDone()
    } catch (reason) {
      setRefusal(reason)
    }
  }
  return (
    <Dialog title={texts.removing.title(name)} onClose={closeDialog}>
      <div class="stack">
        {found === undefined && error === undefined && (
          <p class="dim" role="status">
            {texts.removing.looking}
          </p>
        )}
        {error !== undefined && <Failed error={error} onAgain={() => look()} />}
        {found !== undefined && <Going lines={linesOf(found)} />}
        {found !== undefined && hint !== undefined && <p class="dim small">{hint}</p>}
        {refusal !== undefined && (
          <p class="err" role="alert">
            <Icon name="bad" />
            <span dir="auto">{reasonOf(refusal)}</span>
          </p>
        )}
        <div class="row wrap form-end">
          <CopyAsCurl call={requested} />
          <button type="button" class="btn" autofocus onClick={closeDialog}>
            {texts.keep}
          </button>
          <button
            type="button"
            class="btn danger"
            disabled={found === undefined}
            onClick={() => void remove()}
          >
            <Icon name="trash" />
            <span class="cut">{texts.removing.act(name)}</span>
          </button>
        </div>
      </div>
    </Dialog>
  )
}

function Going({ lines }: { lines: Line[] }) {
  const texts = manageTexts.value.removing
  if (lines.length === 0) return <p>{texts.alone}</p>
  return (
    <div class="going">
      <p>{texts.goes}</p>
      <ul>
        {lines.map(({ text, total, names }) => (
          <li key={text}>
            <b>{text}</b>{' '}
            {names.slice(0, maxShown).map((one, at) => (
              <span key={one.text}>
                {at > 0 && ', '}
                {one.to === undefined ? (
                  <bdi>{one.text}</bdi>
                ) : (
                  <a href={addressOf(one.to)}>
                    <bdi>{one.text}</bdi>
                  </a>
                )}
              </span>
            ))}
            {names.length > 0 &&
              total > maxShown &&
              ` ${texts.more(total - Math.min(maxShown, names.length))}`}
          </li>
        ))}
      </ul>
    </div>
  )
}
