import { describe, expect, it } from "vitest";
import { parseBookingUrl } from "../../src/domain/booking-url.ts";

describe("a booking link", () => {
  it.each([
    ["https://calendly.com/anna/call", "https://calendly.com/anna/call"],
    ["  https://cal.com/anna  ", "https://cal.com/anna"],
    ["https://Anna.TidyCal.com/15-minute", "https://anna.tidycal.com/15-minute"],
    ["https://calendly.com/anna?month=2026-03", "https://calendly.com/anna?month=2026-03"],
  ])("%s is taken", (text, stored) => {
    expect(parseBookingUrl(text)).toBe(stored);
  });

  it.each([
    "",
    "calendly.com/anna",
    "not a url",
    "http://calendly.com/anna",
    "javascript:alert(1)",
    "https://calendly.com",
    "https://calendly.com.evil.example/anna",
    "https://evilcalendly.com/anna",
    "https://evil.example/calendly.com/anna",
    "https://calendly.com@evil.example/anna",
    "https://user:pass@calendly.com/anna",
    "https://calendly.com:8443/anna",
    "https://сalendly.com/anna", // the first letter is Cyrillic
    `https://calendly.com/${"a".repeat(600)}`,
  ])("%s is refused", (text) => {
    expect(() => parseBookingUrl(text)).toThrow("booking link");
  });
});
