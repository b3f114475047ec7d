import { Icon } from '../../components/icon.tsx'
import { query } from '../../lib/router.ts'
import { pageAddress } from '../../map/map-state.ts'
import { manageTexts } from '../../messages/manage/texts.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { Frame, Nothing, PageSections } from './frame.tsx'
import { LayerGroupForm } from './layer-group-form.tsx'
import { type LayerGroup, layerGroups, layerGroupsCall, pathOf, useList } from './listing.ts'
import { RowActs } from './row-acts.tsx'

const reload = (): Promise<void> => layerGroups.load()
/** Name of a group in addresses, as services have it. */
const idOf = ({ workspace, name }: LayerGroup): string => (workspace === null ? name : `${workspace}:${name}`)

/** Layer groups of all workspaces: created, changed, deleted, shown on the map. */
export function LayerGroupsPage() {
  const texts = manageTexts.value
  useList(layerGroups, layerGroupsCall())
  const list = layerGroups.state.value
  const rows = list.value?.groups ?? []
  return (
    <>
      <Frame
        place="layerGroups"
        lead={texts.layerGroup.lead}
        requested={layerGroupsCall()}
        act={texts.layerGroup.new}
        list={list}
        onAgain={() => void reload()}
      >
        {rows.length === 0 ? <Nothing /> : <Table rows={rows} />}
        <PageSections total={list.value?.total ?? 0} />
      </Frame>
      <Dialogs rows={rows} />
    </>
  )
}

function Dialogs({ rows }: { rows: readonly LayerGroup[] }) {
  const named = (id: string | null): LayerGroup | undefined => rows.find((group) => idOf(group) === id)
  const changed = named(query.value.get('change'))
  const deleted = named(query.value.get('delete'))
  if (query.value.has('new')) return <LayerGroupForm onSaved={reload} />
  if (changed !== undefined) return <LayerGroupForm key={changed.href} now={changed} onSaved={reload} />
  return deleted === undefined ? null : (
    <DeleteDialog
      key={deleted.href}
      name={idOf(deleted)}
      path={pathOf(deleted)}
      find={async () => ({})}
      hint={manageTexts.value.layerGroup.layersStay}
      onDone={reload}
    />
  )
}

function Table({ rows }: { rows: readonly LayerGroup[] }) {
  const texts = manageTexts.value
  return (
    <section class="panel scroll" aria-label={texts.layerGroups}>
      <table class="rowcards">
        <thead>
          <tr>
            <th>{texts.name}</th>
            <th>{texts.layerGroup.title}</th>
            <th>{texts.layerGroup.workspace}</th>
            <th>{texts.layerGroup.members}</th>
            <th>
              <span class="vh">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((group) => (
            <Row key={group.href} group={group} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

const maxNamed = 5

function Row({ group }: { group: LayerGroup }) {
  const texts = manageTexts.value
  const { name, title, workspace, members, layers } = group
  // As on the map: the top layer first.
  const shown = members.map((member) => member.name).reverse()
  const left = shown.length - maxNamed
  const state = {
    layers: layers.map((id) => ({ id, isHidden: false, opacity: 1 })),
    hasBackground: true,
    hasLegend: true,
  }
  return (
    <tr>
      <td>
        <b dir="auto">{name}</b>
      </td>
      <td data-l={texts.layerGroup.title} dir="auto">
        {title === name ? '' : title}
      </td>
      <td data-l={texts.layerGroup.workspace}>
        {workspace ?? <span class="dim">{texts.layerGroup.shownNoWorkspace}</span>}
      </td>
      <td data-l={texts.layerGroup.members}>
        <bdi>{shown.slice(0, maxNamed).join(', ')}</bdi>
        {left > 0 && ` ${texts.removing.more(left)}`}
        {shown.length === 0 && <span class="dim">{texts.layerGroup.noMembers}</span>}
      </td>
      <td class="num acts-cell">
        <div class="row-acts">
          {layers.length > 0 && (
            <a class="btn sm" href={pageAddress(state)}>
              <Icon name="map" />
              {texts.layerGroup.show}
              <span class="vh"> {name}</span>
            </a>
          )}
          <RowActs id={idOf(group)} name={name} />
        </div>
      </td>
    </tr>
  )
}
