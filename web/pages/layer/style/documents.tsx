import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { type Call, call } from '../../../api/client.ts'
import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { Icon } from '../../../components/icon.tsx'
import { reasonOf } from '../../../components/states.tsx'
import { addressOf } from '../../../lib/base.ts'
import { goTo } from '../../../lib/router.ts'
import { styleTexts } from '../../../messages/layer/style/texts.ts'
import { isStaff } from '../../../session/session.ts'
import {
  type AvailableStyle,
  freeName,
  type LayerFacts,
  type StyleMessages,
  stylePath,
} from './available-styles.ts'
import { askLost, formatOf, formats, type LostIn } from './style-documents.ts'
import { StyleMessagesList } from './style-messages.tsx'

interface Props {
  id: string
  layer: LayerFacts
  name: string
  list: readonly AvailableStyle[]
}

/** Styles of other programs, in and out. */
export function Documents({ id, layer, name, list }: Props) {
  const texts = styleTexts.value.documents
  const kept = list.find((one) => one.name === name)
  return (
    <section class="panel" aria-labelledby="documents-title">
      <header>
        <h2 id="documents-title">{texts.title}</h2>
      </header>
      <div class="body stack">
        {kept !== undefined && <Downloads workspace={layer.workspace.name} kept={kept} />}
        {isStaff.value && <TakeIn id={id} workspace={layer.workspace.name} list={list} />}
      </div>
    </section>
  )
}

/** Lists what each language cannot express beside its download. */
function Downloads({ workspace, kept }: { workspace: string; kept: AvailableStyle }) {
  const texts = styleTexts.value.documents
  const lost = useSignal<LostIn | undefined>(undefined)
  useEffect(() => {
    const asking = new AbortController()
    askLost(stylePath(workspace, kept), asking.signal).then(
      (found) => {
        lost.value = found
      },
      () => undefined,
    )
    return () => asking.abort()
  }, [workspace, kept.name, kept.isOwn])
  return (
    <ul class="stack s2 documents">
      {formats.map(({ format, ending, name: language }) => {
        const path = `${stylePath(workspace, kept)}.${format}`
        const left = lost.value?.[format]
        return (
          <li key={format} class="row wrap">
            {left === 'none' ? (
              <b>{language}</b>
            ) : (
              <a class="btn sm" href={addressOf(path)} download={`${kept.name}.${ending}`}>
                <Icon name="download" />
                {language}
              </a>
            )}
            <span class="small dim grow" dir="auto">
              {left === 'none'
                ? texts.cannot
                : left === undefined
                  ? ''
                  : left.length === 0
                    ? texts.whole
                    : texts.loses(left)}
            </span>
            <CopyAsCurl call={{ path }} />
          </li>
        )
      })}
    </ul>
  )
}

function TakeIn({ id, workspace, list }: { id: string; workspace: string; list: readonly AvailableStyle[] }) {
  const texts = styleTexts.value.documents
  const field = useId()
  const text = useSignal('')
  const name = useSignal('')
  const error = useSignal<unknown>(undefined)
  const result = useSignal<{ name: string; messages: StyleMessages } | undefined>(undefined)
  const format = formatOf(text.value)
  const target = freeName(name.value.trim() === '' ? 'style' : name.value.trim(), list)
  const keep = (): Call => ({
    method: 'POST',
    path: `/rest/workspaces/${encodeURIComponent(workspace)}/styles`,
    body: { style: { name: target, format, document: text.value } },
  })
  const take = async (): Promise<void> => {
    error.value = undefined
    result.value = undefined
    try {
      const { style } = await call<{ style: { messages?: StyleMessages } }>(keep())
      result.value = { name: target, messages: style.messages ?? [] }
    } catch (reason) {
      error.value = reason
    }
  }
  const show = (): void =>
    goTo(`/app/layers/${encodeURIComponent(id)}/style?style=${encodeURIComponent(result.value?.name ?? '')}`)
  return (
    <div class="stack s2">
      <div class="field">
        <label for={field}>{texts.paste}</label>
        <textarea
          id={field}
          class="in mono"
          rows={5}
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
          }}
        />
      </div>
      <div class="field">
        <label for={`${field}-file`}>{texts.file}</label>
        <input
          id={`${field}-file`}
          class="in"
          type="file"
          accept=".sld,.qml,.json,.xml,.maplibre"
          onChange={async ({ currentTarget }) => {
            const file = currentTarget.files?.[0]
            if (file === undefined) return
            name.value = file.name.replace(/\.[^.]*$/, '')
            text.value = await file.text()
          }}
        />
      </div>
      <div class="field">
        <label for={`${field}-name`}>{texts.name}</label>
        <input
          id={`${field}-name`}
          class="in"
          dir="auto"
          value={name.value}
          onInput={({ currentTarget }) => {
            name.value = currentTarget.value
          }}
        />
      </div>
      <div class="row wrap">
        <button type="button" class="btn" disabled={text.value.trim() === ''} onClick={() => void take()}>
          <Icon name="upload" />
          {text.value.trim() === '' ? texts.take : texts.takeAs(format, target)}
        </button>
        {text.value.trim() !== '' && <CopyAsCurl call={keep} />}
      </div>
      <Outcome error={error.value} result={result.value} onLook={show} />
    </div>
  )
}

interface OutcomeProps {
  error: unknown
  result: { name: string; messages: StyleMessages } | undefined
  onLook(): void
}

/** Messages of the server about the document. */
function Outcome({ error, result, onLook }: OutcomeProps) {
  const texts = styleTexts.value.documents
  return (
    <>
      {error !== undefined && (
        <p class="err" role="alert">
          <Icon name="bad" />
          <span dir="auto">{reasonOf(error)}</span>
        </p>
      )}
      {result !== undefined && (
        <div class="stack s2" role="status">
          <p>
            {texts.taken(result.name)}{' '}
            <button type="button" class="btn sm" onClick={onLook}>
              {texts.look}
            </button>
          </p>
          <StyleMessagesList list={result.messages} />
        </div>
      )}
    </>
  )
}
