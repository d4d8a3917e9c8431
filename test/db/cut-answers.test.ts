import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";
import { createScriptedModel, dueRun, playRun } from "../support/office-run.ts";

const HALF = "We have a green door, not";
const WHOLE = "We have a green door, not a red one.";

forEachEngine((open) => {
  const { model, steps } = createScriptedModel();
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(open, model);
  });
  afterAll(() => office.close());

  describe("an answer whose words broke off", () => {
    it("is not sent: the model is asked again, and its whole answer is", async () => {
      const lead = await addLead(office);
      steps.push({ text: HALF, cut: true }, { text: WHOLE });
      const id = await dueRun(office, lead);
      await playRun(office, id);
      expect(await lead.runs()).toMatchObject([{ id, status: "waiting_retry", modelFailures: 1 }]);
      expect(await lead.sent()).toEqual([]);
      office.time.now += 60_000;
      await playRun(office, id);
      const replies = (await lead.sent()).filter(({ purpose }) => purpose === "reply");
      expect(JSON.stringify(replies)).toContain(WHOLE);
      expect(replies).toHaveLength(1);
    });
  });
});
