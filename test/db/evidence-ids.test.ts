import { afterAll, beforeAll, expect, it } from "vitest";
import { executionPlace } from "../../src/store/executions.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { searchKnowledgeBase } from "../../src/tools/search-knowledge-base.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, rule } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";
import { createScriptedModel, dueRun, playRun } from "../support/office-run.ts";

const hits = ["a", "b"].map((documentId) => ({
  ...{ documentId, revision: 1, title: "Rules", excerpt: `of ${documentId}`, truncated: false },
}));

forEachEngine((open) => {
  const { model, steps } = createScriptedModel();
  let office: Office;
  beforeAll(async () => {
    const search = searchKnowledgeBase({
      searchKnowledge: async () => hits,
      placeOf: executionPlace,
    });
    office = await openOffice(open, model, () => [search as unknown as AnyTool]); // of its own arguments
    await office.rules([...officeRules(), rule("search_knowledge_base")]);
  });
  afterAll(() => office.close());

  const searches = (...queries: string[]) => ({
    calls: queries.map((query) => ({ name: "search_knowledge_base", args: { query, top_k: 2 } })),
  });

  it("no two passages that searches of a conversation found have one id, nor the prompt's own", async () => {
    const lead = await addLead(office);
    steps.push(searches("opening hours", "the fee"), searches("the courier"));
    await playRun(office, await dueRun(office, lead));
    steps.push(searches("a refund"));
    await playRun(office, await dueRun(office, lead));
    const said = JSON.stringify((await lead.candidates()).map(({ reply }) => reply));
    const found = [...said.matchAll(/"evidence_id":"(E\d+)"/g)].map(([, id]) => id);
    const expected = ["E11", "E12", "E21", "E22", "E31", "E32", "E41", "E42"];
    expect(found.toSorted()).toEqual(expected);
  });

  it("each conversation counts for itself", async () => {
    const lead = await addLead(office);
    steps.push(searches("opening hours"));
    await playRun(office, await dueRun(office, lead));
    const [call] = await lead.candidates();
    expect(JSON.stringify(call?.reply)).toContain('"E11"');
  });
});
