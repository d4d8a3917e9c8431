/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { StyleExample } from "../../domain/quality.ts";
import type { StyleSkill } from "../../domain/style.ts";
import { AreaField, TextField } from "./fields.tsx";
import { ChangeForm, may, type Sends } from "./may.tsx";
import type { Page } from "./page-context.ts";
import { LongText, linkTo, Named, Table, Tag, Time } from "./parts.tsx";
import type { ShownStyle, StyleVersion } from "./shown-style.ts";
import type { NameOf } from "./staff-names.ts";

const PATH = "/admin/styles";
const SKILL: Sends = "PUT /quality/skills/:id";

/** Every style with the version that speaks. */
export function StyleTable({ page: { t }, styles }: { page: Page; styles: ShownStyle[] }) {
  return (
    <Table
      caption={t("style.tab")}
      heads={[
        t("style.style"),
        t("style.use"),
        t("style.version"),
        t("style.guidance"),
        t("style.examples"),
        t("style.skills"),
      ]}
      rows={styles.map(({ id, name, is_active, active }) => [
        <>
          <a href={linkTo(PATH, { style: id })}>
            <Named text={name} />
          </a>
          <br />
          <code>{id}</code>
        </>,
        <Use page={{ t }} isActive={is_active} />,
        active?.version ?? "—",
        active?.guidance ? <LongText text={active.guidance} more={t("list.whole")} /> : "—",
        active?.examples.length ?? 0,
        active?.skills.join(", ") || "—",
      ])}
      empty={t("list.empty")}
    />
  );
}

export function Use({ page: { t }, isActive }: { page: Pick<Page, "t">; isActive: boolean }) {
  return (
    <Tag tone={isActive ? "ok" : "plain"}>{t(isActive ? "style.inUse" : "style.notInUse")}</Tag>
  );
}

interface VersionProps {
  page: Page;
  style: ShownStyle;
  names: NameOf;
}

/** What a style said before, and a way back to it. */
export function VersionTable({ page, style, names }: VersionProps) {
  const { t } = page;
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">{t("style.versions")}</h2>
      <Table
        caption={t("style.versions")}
        heads={[
          t("style.version"),
          t("audit.when"),
          t("audit.who"),
          t("style.why"),
          t("style.content"),
          t("quality.change"),
        ]}
        rows={style.versions.map((one) => [
          <strong>{one.version}</strong>,
          <Time at={one.created_at} />,
          <Named text={names(one.created_by)} />,
          one.rationale ? <LongText text={one.rationale} more={t("list.whole")} /> : "—",
          <Content page={page} version={one} />,
          <Activate page={page} styleId={style.id} version={one} />,
        ])}
        empty={t("list.empty")}
      />
    </section>
  );
}

function Content({ page, version }: { page: Page; version: StyleVersion }) {
  const { guidance, examples, skill_texts: skills } = version;
  return (
    <>
      <LongText text={guidance || "—"} more={page.t("list.whole")} />
      {examples.length > 0 && <Examples page={page} examples={examples} />}
      {skills.map(({ id, text }) => (
        <details>
          <summary>{page.t("style.skill", { id })}</summary>
          <p class="said">
            <Named text={text} />
          </p>
        </details>
      ))}
    </>
  );
}

/** Folded: they are long. */
export function Examples({ page: { t }, examples }: { page: Page; examples: StyleExample[] }) {
  return (
    <details>
      <summary>
        {t("style.examples")}: {examples.length}
      </summary>
      <ul class="judged">
        {examples.map(({ client, answer }) => (
          <li>
            <blockquote class="asked">
              <Named text={client} />
            </blockquote>
            <p class="said">
              <Named text={answer} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Activate(props: { page: Page; styleId: string; version: StyleVersion }) {
  const { page, styleId, version } = props;
  const { t } = page;
  if (version.is_active) return <Tag tone="ok">{t("style.inForce")}</Tag>;
  return (
    <ChangeForm
      page={page}
      sends="POST /quality/styles/:id/versions/:n/activate"
      action={PATH}
      otherwise="—"
    >
      <input type="hidden" name="id" value={styleId} />
      <input type="hidden" name="version" value={String(version.version)} />
      <button type="submit" name="act" value="activate" class="small">
        {t("style.activate")}
        <span class="hidden">
          {" "}
          {t("style.version")} {version.version}
        </span>
      </button>
    </ChangeForm>
  );
}

interface SkillProps {
  page: Page;
  skills: StyleSkill[];
  /** What was typed and refused. */
  typed: StyleSkill | null;
}

/** Texts for styles, each to be changed in place, and a new one. */
export function Skills({ page, skills, typed }: SkillProps) {
  const { t } = page;
  const isOther = typed !== null && !skills.some(({ id }) => id === typed.id);
  return (
    <section aria-labelledby="skills">
      <h2 id="skills">{t("style.skills")}</h2>
      <p class="muted">{t("style.skillNote")}</p>
      {skills.map((skill) => (
        <details class="card" open={typed?.id === skill.id}>
          <summary>{t("style.skill", { id: skill.id })}</summary>
          <ChangeForm
            page={page}
            sends={SKILL}
            action={PATH}
            label={t("style.skill", { id: skill.id })}
            otherwise={
              <p class="said">
                <Named text={skill.text} />
              </p>
            }
          >
            <input type="hidden" name="id" value={skill.id} />
            <SkillText page={page} text={typed?.id === skill.id ? typed.text : skill.text} />
          </ChangeForm>
        </details>
      ))}
      {may(page.me, SKILL) && (
        <details class="card" open={isOther}>
          <summary>{t("style.skillAdd")}</summary>
          <ChangeForm page={page} sends={SKILL} action={PATH} label={t("style.skillAdd")}>
            <TextField name="id" value={isOther ? typed.id : ""} label={t("style.id")} isNeeded />
            <SkillText page={page} text={isOther ? typed.text : ""} />
          </ChangeForm>
        </details>
      )}
    </section>
  );
}

function SkillText({ page: { t }, text }: { page: Page; text: string }) {
  return (
    <>
      <AreaField name="text" value={text} label={t("style.skillText")} rows={5} />
      <div class="buttons">
        <button type="submit" name="act" value="skill">
          {t("style.skillSave")}
        </button>
      </div>
    </>
  );
}
