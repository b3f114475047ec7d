import { useEffect, useState } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { CheckField } from '../../components/check-field.tsx'
import { Field } from '../../components/field.tsx'
import { say } from '../../components/toasts.tsx'
import { query } from '../../lib/router.ts'
import { manageTexts } from '../../messages/manage/texts.ts'
import { FormDialog } from './form-dialog.tsx'
import { pathOf, type Store, workspaceNames } from './listing.ts'
import { SelectField } from './select-field.tsx'
import {
  connectionOf,
  type Entries,
  encryptions,
  hiddenSecret,
  type StoreType,
  shownEntries,
  storeTypes,
  withoutSecrets,
} from './store-parameters.ts'
import { Tried, type TriedProps, tried } from './tried.tsx'
import { useFound } from './use-found.tsx'

interface Done {
  onDone(): Promise<void>
}

const collectionOf = (workspace: string): string =>
  `/rest/workspaces/${encodeURIComponent(workspace)}/datastores`

/** A new store; its connection may be tried before. */
export function NewStore({ onDone }: Done) {
  const texts = manageTexts.value
  const [type, setType] = useState<StoreType>('PostGIS')
  const names = workspaceNames.value
  useEffect(() => {
    void workspaceNames.load()
  }, [])
  const bodyOf = (data: FormData) => ({
    dataStore: {
      name: String(data.get('name')),
      type,
      connectionParameters: connectionOf(data, type),
      description: data.get('description') === '' ? undefined : String(data.get('description')),
      versions: data.get('versions') !== null,
    },
  })
  const requested = (data: FormData): Call => ({
    method: 'POST',
    path: collectionOf(String(data.get('workspace'))),
    body: bodyOf(data),
  })
  if (names === undefined) return null
  return (
    <FormDialog
      title={texts.store.new}
      act={texts.save}
      requested={(data) => withoutSecrets(requested(data))}
      send={async (data) => {
        await call(requested(data))
        say(texts.made(String(data.get('name'))))
        await onDone()
      }}
      more={(data) => <TryNew ask={() => requested(data())} />}
    >
      <div class="pair">
        <Field label={texts.name} hint={texts.nameHint} name="name" required autofocus maxLength={100} />
        <SelectField
          name="workspace"
          label={texts.store.workspace}
          options={names.map((value) => ({ value, text: value }))}
          value={query.value.get('workspace') ?? names[0] ?? ''}
        />
      </div>
      <SelectField
        name="type"
        label={texts.store.type}
        options={storeTypes.map((value) => ({ value, text: texts.store.types[value] }))}
        value={type}
        onChange={(value) => setType(storeTypes.find((one) => one === value) ?? 'PostGIS')}
      />
      <Connection entries={shownEntries(type, undefined)} isNew={true} />
      <Field label={texts.store.description} name="description" maxLength={10_000} />
      <CheckField name="versions" label={texts.store.versions} isOn={true} />
      <p class="hint">{texts.store.tried}</p>
    </FormDialog>
  )
}

interface StoreFields {
  type: string
  enabled: boolean
  description?: string
  versions?: false
  connectionParameters: { entry: { '@key': string; $: string }[] }
}

/** Editable fields of a store. Secrets are not shown: empty ones stay unchanged. */
export function ChangeStore({ store, onDone }: Done & { store: Store }) {
  const found = useFound(async (signal) => {
    const reply = await call<Record<string, StoreFields>>({ path: pathOf(store) }, signal)
    const wire = reply[store.kind]
    if (wire === undefined) throw new Error(manageTexts.value.gone(store.name))
    return wire
  })
  return found.value === undefined ? (
    found.waiting
  ) : (
    <ChangeForm store={store} wire={found.value} onDone={onDone} />
  )
}

function ChangeForm({ store, wire, onDone }: Done & { store: Store; wire: StoreFields }) {
  const texts = manageTexts.value
  const entries = Object.fromEntries(wire.connectionParameters.entry.map((one) => [one['@key'], one.$]))
  const isOpen = store.kind === 'dataStore' && !store.default
  const requested = (data: FormData): Call => {
    const description = String(data.get('description'))
    const fields = {
      description: description === (wire.description ?? '') ? undefined : description,
      enabled: data.get('enabled') !== null,
      versions: data.get('versions') !== null,
      connectionParameters: isOpen ? connectionOf(data, wire.type, entries) : undefined,
    }
    return { method: 'PUT', path: pathOf(store), body: { [store.kind]: fields } }
  }
  return (
    <FormDialog
      title={texts.store.changeTitle(store.name)}
      act={texts.save}
      requested={(data) => withoutSecrets(requested(data))}
      send={async (data) => {
        await call(requested(data))
        say(texts.saved(store.name))
        await onDone()
      }}
    >
      {isOpen ? (
        <Connection entries={shownEntries(wire.type, entries)} isNew={false} />
      ) : (
        <dl class="kv">
          {Object.entries(entries).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {store.default && <p class="hint">{texts.store.defaultHint}</p>}
      <Field
        label={texts.store.description}
        name="description"
        maxLength={10_000}
        defaultValue={wire.description ?? ''}
      />
      <CheckField name="enabled" label={texts.store.enabled} isOn={wire.enabled} />
      <CheckField name="versions" label={texts.store.versions} isOn={wire.versions !== false} />
    </FormDialog>
  )
}

function Connection({ entries, isNew }: { entries: Entries; isNew: boolean }) {
  const texts = manageTexts.value.store
  const labels: Record<string, string> = texts.fields
  return (
    <div class="pair">
      {Object.entries(entries).map(([name, value]) => {
        const isSecret = name === 'passwd' || value === hiddenSecret
        if (name === 'sslmode')
          return (
            <SelectField
              key={name}
              name={`connection.${name}`}
              label={labels[name] ?? name}
              options={encryptions.map((one) => ({ value: one, text: texts.encryptions[one] }))}
              value={encryptions.find((one) => one === value) ?? 'disable'}
            />
          )
        const secretHint = isNew ? texts.newPasswordHint : texts.passwordHint
        return (
          <Field
            key={name}
            label={labels[name] ?? name}
            name={`connection.${name}`}
            type={isSecret ? 'password' : 'text'}
            autocomplete={isSecret ? ('new-password' as const) : undefined}
            defaultValue={isSecret ? '' : value}
            hint={isSecret ? secretHint : name === 'path' && isNew ? texts.pathHint : undefined}
          />
        )
      })}
    </div>
  )
}

/** Tests the connection in the form, without saving. */
function TryNew({ ask }: { ask: () => Call }) {
  const texts = manageTexts.value.store
  const [reported, setReported] = useState<TriedProps>()
  const check = async (): Promise<string> => {
    const requested = ask()
    const path = `${requested.path}/check`
    const reply = await call<{ check: { milliseconds: number } }>({ ...requested, path })
    return texts.answers(reply.check.milliseconds)
  }
  return (
    <>
      <button type="button" class="btn" onClick={() => void tried(check).then(setReported)}>
        {texts.check}
      </button>
      <Tried reported={reported} />
    </>
  )
}
