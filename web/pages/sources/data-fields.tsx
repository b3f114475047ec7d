import type { Signal } from '@preact/signals'
import { CheckField } from '../../components/check-field.tsx'
import { Field } from '../../components/field.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { dataText } from './source-words.ts'
import { type SourceData, textOf } from './types.ts'

const types = ['remote', 'directory', 'file', 'service'] as const
const kinds = ['ogcapi-features', 'wfs', 'arcgis-featureserver'] as const

interface DataProps {
  data: SourceData
  type: Signal<string>
  kind: Signal<string>
  /** True if the source is stored with its password. */
  isStored: boolean
}

/** Fields of the location of the data. */
export function DataFields({ data, type, kind, isStored }: DataProps) {
  const texts = sourceTexts.value
  const offered = types.some((one) => one === data.type) ? types : [...types, data.type as 'database']
  const isSame = data.type === type.value
  const values = isSame ? data : { type: type.value }
  return (
    <div class="fields" key={type.value}>
      <SelectField
        name="type"
        label={texts.form.type}
        value={type.value}
        options={offered.map((value) => ({ value, text: texts.data[value] }))}
        onChange={(next) => {
          type.value = next
        }}
      />
      {type.value === 'service' && <ServiceFields data={values} kind={kind} />}
      {type.value === 'remote' && (
        <Field
          name="location"
          label={texts.form.address}
          hint={texts.form.addressHint}
          required
          defaultValue={textOf(values, 'location')}
        />
      )}
      {['file', 'directory', 'mosaic'].includes(type.value) && (
        <Field
          name="location"
          label={texts.form.path}
          hint={texts.form.pathHint}
          required
          defaultValue={textOf(values, 'location')}
        />
      )}
      {type.value === 'database' && (
        <div class="field">
          <span class="lbl">{texts.form.database}</span>
          <p class="mono small" dir="auto">
            {dataText(data)}
          </p>
          <p class="hint">{texts.form.databaseHint}</p>
        </div>
      )}
      {['remote', 'service', 'database'].includes(type.value) && (
        <Login data={values} isStored={isStored && isSame} />
      )}
    </div>
  )
}

function Login({ data, isStored }: { data: Record<string, unknown>; isStored: boolean }) {
  const texts = sourceTexts.value.form
  return (
    <>
      {data['type'] !== 'database' && (
        <Field name="username" label={texts.user} maxLength={1000} defaultValue={textOf(data, 'username')} />
      )}
      <Field
        name="password"
        type="password"
        label={texts.password}
        autocomplete="new-password"
        hint={isStored ? texts.passwordStays : texts.passwordHint}
      />
    </>
  )
}

function ServiceFields({ data, kind }: { data: Record<string, unknown>; kind: Signal<string> }) {
  const texts = sourceTexts.value
  return (
    <>
      <SelectField
        name="kind"
        label={texts.form.kind}
        value={kind.value}
        options={kinds.map((value) => ({ value, text: texts.kinds[value] }))}
        onChange={(next) => {
          kind.value = next
        }}
      />
      <Field
        name="location"
        label={texts.form.serviceAddress}
        required
        defaultValue={textOf(data, 'location')}
      />
      <Field
        name="layer"
        label={texts.form.layer}
        hint={texts.form.layerHint}
        required
        defaultValue={textOf(data, 'layer')}
      />
      {kind.value !== 'wfs' && (
        <>
          <Field
            name="where"
            label={texts.form.where}
            hint={texts.form.whereHint}
            defaultValue={textOf(data, 'where')}
          />
          <CheckField
            name="incremental"
            label={texts.form.incremental}
            hint={texts.form.incrementalHint}
            isOn={data['incremental'] !== undefined}
          />
        </>
      )}
    </>
  )
}
